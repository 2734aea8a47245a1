# While `protect` is true, the resources with data refuse to be destroyed. Terraform refuses (PREVENT), and so does the
# service if it has a lock for this.
locals {
  deletion_policy = var.protect ? "PREVENT" : "DELETE"
}
