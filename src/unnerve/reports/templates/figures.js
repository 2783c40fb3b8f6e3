// This page has nothing to draw.
