buildTheme();
buildFilters();
buildTables();
buildTrials();
buildCharts();
announce();
showTrial();
// A printed page shows all there is.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("#alarms details")) details.open = true;
});
