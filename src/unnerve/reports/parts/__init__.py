"""What every page shares, and that knows no page: words, numbers, tables, charts, templates."""
