variable "load_balancer" {
  description = "A load balancer with Cloud Armor in front of the api, with its domain (docs/deploy.md)."
  type = object({
    domain              = string
    requests_per_minute = optional(number, 300)
    iap_members         = optional(list(string), [])
  })
  default = null
}

output "load_balancer_address" {
  description = "The address to which the domain of the load balancer must lead (a record of type A). Empty without one."
  value       = module.ragbase.load_balancer_address
}
