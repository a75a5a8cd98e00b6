from harness.extensions.site.pages import write as write
