"""The use cases that keep the index in step with the bucket. Each file has one public function."""
