variable "load_balancer" {
  description = "An external load balancer with Cloud Armor in front of the api (modules/load_balancer): its domain, how many requests a minute one address may send, and who may come through Identity-Aware Proxy if the api is not public. Then the api takes no request from the internet that goes around it."
  type = object({
    domain              = string
    requests_per_minute = optional(number, 300)
    iap_members         = optional(list(string), [])
  })
  default = null
  validation {
    condition     = var.load_balancer == null || can(regex("^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]{2,63}$", var.load_balancer.domain))
    error_message = "load_balancer.domain must be a domain such as rag.example.com, in lower case and without https://."
  }
  validation {
    condition     = try(var.load_balancer.requests_per_minute >= 1 && floor(var.load_balancer.requests_per_minute) == var.load_balancer.requests_per_minute, true)
    error_message = "load_balancer.requests_per_minute must be a whole number from 1."
  }
  validation {
    condition     = var.load_balancer == null || var.api_public != (length(try(var.load_balancer.iap_members, [])) > 0)
    error_message = "load_balancer: set either api_public, or load_balancer.iap_members to say who may come through Identity-Aware Proxy. With neither nobody gets through, with both everybody could go around it."
  }
  validation {
    condition     = alltrue([for member in try(var.load_balancer.iap_members, []) : can(regex("^(user|group|serviceAccount|domain|principal|principalSet):.+", member))])
    error_message = "load_balancer.iap_members must be identities such as group:readers@example.com. To let everybody call the api, set api_public."
  }
}
