# The load balancer in front of the api, if there is one (docs/deploy.md, A domain and Cloud Armor).

module "load_balancer" {
  source = "./modules/load_balancer"
  count  = var.load_balancer == null ? 0 : 1

  project             = var.project
  region              = var.region
  name                = "${var.name}-api"
  service             = module.function["api"].service
  domain              = var.load_balancer.domain
  requests_per_minute = var.load_balancer.requests_per_minute
  iap_members         = var.load_balancer.iap_members

  depends_on = [google_project_service.required]
}

locals {
  # Whether Identity-Aware Proxy asks who somebody is. Then it is the one who calls the api.
  uses_iap = length(try(var.load_balancer.iap_members, [])) > 0

  endpoint = var.load_balancer == null ? module.function["api"].uri : "https://${var.load_balancer.domain}"

  # The load balancer appends two addresses to X-Forwarded-For, the client's and its own
  # (https://cloud.google.com/load-balancing/docs/https#x-forwarded-for_header).
  # The addresses that the api hands out are those of the domain. (Without a domain, Terraform knows the address of the
  # api only when it is made, and the settings come before that.)
  proxy_settings = var.load_balancer == null ? {} : {
    RAGBASE_TRUSTED_PROXIES = "2"
    RAGBASE_PUBLIC_URL      = "https://${var.load_balancer.domain}"
  }
}
