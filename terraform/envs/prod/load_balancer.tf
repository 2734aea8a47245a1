output "load_balancer_address" {
  description = "The address to which the domain of the load balancer must lead (a record of type A). Empty without one."
  value       = module.ragbase.load_balancer_address
}
