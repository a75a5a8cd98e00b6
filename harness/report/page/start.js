buildTheme();
buildFilters();
buildBar();
buildTables();
if (report.trials) buildTrials();
buildCharts();
buildPrint();
notify();
if (report.trials) showTrial();
