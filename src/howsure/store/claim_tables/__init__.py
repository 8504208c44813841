"""Claims with their sources and relations: reading, writing, selecting and counting them."""
