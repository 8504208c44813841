"""Reports of a scan: HTML, Markdown, CSV, SARIF."""
