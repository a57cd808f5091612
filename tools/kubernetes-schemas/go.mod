module mcp-load-lab/tools/kubernetes-schemas

go 1.26.0

// Modules that nothing is built of: they carry the schemas that deploy/kubernetes is checked against.
require (
	github.com/prometheus-operator/prometheus-operator v0.85.0
	k8s.io/kubectl v0.37.2
)
