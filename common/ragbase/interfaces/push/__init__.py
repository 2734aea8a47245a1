"""Deliveries of Pub/Sub and Cloud Storage to the deployed functions."""
