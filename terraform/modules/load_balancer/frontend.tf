# The address, the certificate, and what becomes of requests for each port.

resource "google_compute_global_address" "this" {
  project = var.project
  name    = var.name
}

# Google gets and renews it once the domain leads to the address. A certificate cannot change, so that of another domain has
# another name and comes first.
resource "google_compute_managed_ssl_certificate" "this" {
  project = var.project
  name    = "${var.name}-${substr(sha256(var.domain), 0, 8)}"
  managed {
    domains = [var.domain]
  }
  lifecycle {
    create_before_destroy = true
  }
}

# Google's default still takes TLS 1.0 (cloud.google.com/load-balancing/docs/ssl-policies-concepts).
resource "google_compute_ssl_policy" "this" {
  project         = var.project
  name            = var.name
  profile         = "MODERN"
  min_tls_version = "TLS_1_2"
}

resource "google_compute_url_map" "https" {
  project         = var.project
  name            = var.name
  default_service = google_compute_backend_service.this.id
}

resource "google_compute_target_https_proxy" "this" {
  project          = var.project
  name             = var.name
  url_map          = google_compute_url_map.https.id
  ssl_certificates = [google_compute_managed_ssl_certificate.this.id]
  ssl_policy       = google_compute_ssl_policy.this.id
}

resource "google_compute_global_forwarding_rule" "https" {
  project               = var.project
  name                  = var.name
  load_balancing_scheme = "EXTERNAL_MANAGED"
  ip_address            = google_compute_global_address.this.id
  port_range            = "443"
  target                = google_compute_target_https_proxy.this.id
}

# Nothing answers without TLS. A 308 leaves a POST a POST.
resource "google_compute_url_map" "http" {
  project = var.project
  name    = "${var.name}-http"
  default_url_redirect {
    https_redirect         = true
    redirect_response_code = "PERMANENT_REDIRECT"
    strip_query            = false
  }
}

resource "google_compute_target_http_proxy" "this" {
  project = var.project
  name    = "${var.name}-http"
  url_map = google_compute_url_map.http.id
}

resource "google_compute_global_forwarding_rule" "http" {
  project               = var.project
  name                  = "${var.name}-http"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  ip_address            = google_compute_global_address.this.id
  port_range            = "80"
  target                = google_compute_target_http_proxy.this.id
}
