/** Shared properties of control API endpoints, which exist on local platforms and accept only the control token. */
export const controlEndpoint = { auth: 'control', section: 'local', assumed: 'only on a local platform' } as const

/** Shared properties of endpoints that section 4.22 does not define: they are as on public deployments. */
export const publicDeployments = { section: '4.22', assumed: 'public deployments' } as const

/**
 * Returns the shared properties of endpoints that only a Parley server has: their capability, which clients check, and
 * the sentence that says what it offers.
 */
export const parleyServerOnly = <const Name extends string>(capability: Name, offers: string, section = '4.22') =>
  ({ section, assumed: 'only on a Parley server', capability, offers }) as const
