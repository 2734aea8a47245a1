# In the bucket of the environment's state, next to it.
terraform {
  backend "gcs" {
    prefix = "ragbase/ci"
  }
}
