buildTheme();
buildFilters();
buildTables();
if (report.trials) buildTrials();
buildCharts();
announce();
if (report.trials) showTrial();
// A printed page shows all there is.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("#alarms details")) details.open = true;
});
