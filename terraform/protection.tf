# What holds data refuses to be destroyed while `protect` is on: Terraform itself (PREVENT), and, where the service has such
# a lock, the service as well.
locals {
  deletion_policy = var.protect ? "PREVENT" : "DELETE"
}
