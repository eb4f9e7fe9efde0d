/** Source of endpoints and fields that only a Parley server has. Help, the OpenAPI document and docs/assumptions.md print it. */
export const onlyParleyServer = 'only on a Parley server'

/** Returns whether a source of an endpoint or field says that public deployments do not have it. Sources that say so begin with these words. */
export const isOnlyOnParley = (source: string): boolean => source.startsWith('only on ')

/** Keywords that mark a field in schemas, and in the OpenAPI document that others read: its source, and the capability that it needs. */
export const originKeywords = { source: 'x-assumed', capability: 'x-capability' } as const

/** Shared properties of control API endpoints, which exist on local platforms and accept only the control token. */
export const controlEndpoint = { auth: 'control', section: 'local', assumed: 'only on a local platform' } as const

/** Shared properties of endpoints that section 4.22 does not define: they are as on public deployments. */
export const publicDeployments = { section: '4.22', assumed: 'public deployments' } as const

/**
 * Returns the shared properties of endpoints that only a Parley server has: their capability, which clients check, and
 * the sentence that says what it offers.
 */
export const parleyServerOnly = <const Name extends string>(capability: Name, offers: string, section = '4.22') =>
  ({ section, assumed: onlyParleyServer, capability, offers }) as const
