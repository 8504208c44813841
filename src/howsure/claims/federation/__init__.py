"""Federation: what other stores believe, scored here, by this store's formula and its trust in each of them."""
