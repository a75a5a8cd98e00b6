buildTheme();
buildTimes();
buildFilters();
buildTables();
if (report.trials) buildTrials();
buildCharts();
openAddress();
if (report.trials) showTrial();
// A printed page shows the details of every warning.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("#warnings details")) details.open = true;
});
