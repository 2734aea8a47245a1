# The state lies in a bucket that scripts/deploy makes and names: versioned, private, locked while somebody applies.
terraform {
  backend "gcs" {
    prefix = "ragbase/prod"
  }
}
