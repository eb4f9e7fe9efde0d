/** What the endpoints of the control API have in common: they exist on local platforms and accept only the control token. */
export const controlEndpoint = { auth: 'control', section: 'local', assumed: 'only on a local platform' } as const

/** What endpoints have in common that section 4.22 leaves open: they are as public deployments have them. */
export const publicDeployments = { section: '4.22', assumed: 'public deployments' } as const
