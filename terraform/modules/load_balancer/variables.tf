variable "project" {
  type = string
}

variable "region" {
  description = "The region of the service."
  type        = string
}

variable "name" {
  description = "The start of every name. The service has it, too."
  type        = string
}

variable "domain" {
  description = "The name under which the service is reached, and for which there is a certificate."
  type        = string
}

variable "service" {
  description = "The Cloud Run service behind the load balancer."
  type        = string
}

variable "requests_per_minute" {
  description = "How many requests a minute one address may send."
  type        = number
}

variable "iap_members" {
  description = "Who may come through Identity-Aware Proxy. If nobody is named, it does not ask."
  type        = list(string)
}
