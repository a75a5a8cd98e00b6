from harness.extensions.page.run_page import html as html
from harness.extensions.page.trend_of_runs import Trend as Trend
from harness.extensions.page.trend_of_runs import trend as trend
