# A network for Weaviate alone. It has no public address and no NAT. The VM can reach only Google's services (Private Google
# Access), and only the functions can reach the VM.

locals {
  functions_range = cidrsubnet(var.cidr, 1, 0)
  vm_range        = cidrsubnet(var.cidr, 4, 8)
  address         = cidrhost(local.vm_range, 10)
}

resource "google_compute_network" "this" {
  project                 = var.project
  name                    = var.name
  auto_create_subnetworks = false
}

# Direct VPC egress uses one or two addresses for each instance of a function, and keeps them for about 20 minutes.
resource "google_compute_subnetwork" "functions" {
  project                  = var.project
  region                   = var.region
  name                     = "${var.name}-functions"
  network                  = google_compute_network.this.id
  ip_cidr_range            = local.functions_range
  private_ip_google_access = true
  log_config {
    aggregation_interval = "INTERVAL_10_MIN"
    flow_sampling        = 0.1
    metadata             = "INCLUDE_ALL_METADATA"
  }
}

resource "google_compute_subnetwork" "vm" {
  project                  = var.project
  region                   = var.region
  name                     = "${var.name}-vm"
  network                  = google_compute_network.this.id
  ip_cidr_range            = local.vm_range
  private_ip_google_access = true
  log_config {
    aggregation_interval = "INTERVAL_10_MIN"
    flow_sampling        = 0.1
    metadata             = "INCLUDE_ALL_METADATA"
  }
}

# The address is fixed, because the functions have it in their environment.
resource "google_compute_address" "vm" {
  project      = var.project
  region       = var.region
  name         = var.name
  subnetwork   = google_compute_subnetwork.vm.id
  address_type = "INTERNAL"
  address      = local.address
}

resource "google_compute_firewall" "functions" {
  project                 = var.project
  name                    = "${var.name}-from-functions"
  description             = "The functions call Weaviate over HTTP and gRPC."
  network                 = google_compute_network.this.id
  direction               = "INGRESS"
  source_ranges           = [local.functions_range]
  target_service_accounts = [google_service_account.vm.email]
  allow {
    protocol = "tcp"
    ports    = ["8080", "50051"]
  }
}

# Operators reach Weaviate through Google's Identity-Aware Proxy, which asks who they are (docs/operate.md). The range is the
# proxy's (cloud.google.com/iap/docs/using-tcp-forwarding).
resource "google_compute_firewall" "operators" {
  count                   = length(var.operators) == 0 ? 0 : 1
  project                 = var.project
  name                    = "${var.name}-from-operators"
  description             = "Operators call Weaviate through Identity-Aware Proxy${var.ssh ? ", and open a shell" : ""}."
  network                 = google_compute_network.this.id
  direction               = "INGRESS"
  source_ranges           = ["35.235.240.0/20"]
  target_service_accounts = [google_service_account.vm.email]
  allow {
    protocol = "tcp"
    ports    = concat(["8080", "50051"], var.ssh ? ["22"] : [])
  }
}

resource "google_iap_tunnel_instance_iam_member" "operator" {
  for_each = toset(var.operators)
  project  = var.project
  zone     = var.zone
  instance = google_compute_instance.this.name
  role     = "roles/iap.tunnelResourceAccessor"
  member   = each.value
}

# Google Cloud refuses other requests also without this rule, but then there is no log of them.
resource "google_compute_firewall" "nothing_else" {
  project       = var.project
  name          = "${var.name}-nothing-else"
  description   = "Refuses and logs all other requests."
  network       = google_compute_network.this.id
  direction     = "INGRESS"
  priority      = 65534
  source_ranges = ["0.0.0.0/0"]
  deny {
    protocol = "all"
  }
  log_config {
    metadata = "INCLUDE_ALL_METADATA"
  }
}
