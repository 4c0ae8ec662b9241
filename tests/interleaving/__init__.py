"""The reference interpreter with calls that mix: it shows what no order of whole calls does."""
