buildTheme();
buildFilters();
buildBar();
buildTables();
if (report.trials) buildTrials();
buildCharts();
buildPrint();
openAddress();
if (report.trials) showTrial();
