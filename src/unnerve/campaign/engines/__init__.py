"""Where the shards of a campaign are run."""
