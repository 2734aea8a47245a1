# The way to the Cloud Run service, and who is let through.

resource "google_compute_region_network_endpoint_group" "this" {
  project               = var.project
  region                = var.region
  name                  = var.name
  network_endpoint_type = "SERVERLESS"
  cloud_run {
    service = var.service
  }
}

# A serverless backend has no health check and no time limit of its own: Cloud Run's are in force.
resource "google_compute_backend_service" "this" {
  project               = var.project
  name                  = var.name
  load_balancing_scheme = "EXTERNAL_MANAGED"
  protocol              = "HTTPS"
  security_policy       = google_compute_security_policy.this.id

  backend {
    group = google_compute_region_network_endpoint_group.this.id
  }
  log_config {
    enable      = true
    sample_rate = 1 # what Cloud Armor refuses is in no other log
  }

  # Without a client of your own, Google manages one, which only people of the project's organisation can use.
  dynamic "iap" {
    for_each = length(var.iap_members) == 0 ? [] : [true]
    content {
      enabled = iap.value
    }
  }
}

resource "google_iap_web_backend_service_iam_member" "this" {
  for_each            = toset(var.iap_members)
  project             = var.project
  web_backend_service = google_compute_backend_service.this.name
  role                = "roles/iap.httpsResourceAccessor"
  member              = each.value
}
