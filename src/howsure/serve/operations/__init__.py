"""What can be asked of howsure, one by one: the table that doors are built from."""
