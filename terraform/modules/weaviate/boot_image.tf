# The system on the VM's boot disk, which has no data. A COS milestone for production is supported for two years, and its
# family then simply gets no newer images (cloud.google.com/container-optimized-os/docs/concepts/versioning).
locals {
  boot_image = {
    family = "cos-129-lts"
    # The earliest end that Google has named. When you take another family, take its end, too.
    supported_until = "2028-03-01T00:00:00Z"
  }
}

# COS of this kind does not update itself. With the first deploy of each month, the VM is made again with the newest image of
# the family. alerts_weaviate_image.tf tells when nobody deployed.
resource "terraform_data" "month" {
  input = formatdate("YYYY-MM", plantimestamp())
}

check "boot_image_is_supported" {
  assert {
    condition     = timecmp(timeadd(plantimestamp(), "4320h"), local.boot_image.supported_until) < 0
    error_message = "Weaviate's VM runs ${local.boot_image.family}, which gets no security fixes after ${substr(local.boot_image.supported_until, 0, 7)}. Take a newer LTS family in terraform/modules/weaviate/boot_image.tf, try it in dev, and deploy. The list is at https://cloud.google.com/container-optimized-os/docs/concepts/versioning."
  }
}
