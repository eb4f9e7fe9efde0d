import { controlEndpoints } from '../contract/control/index.ts'
import { endpoints } from '../contract/resources/index.ts'

/**
 * Returns the route table without schemas, so that a request loads only its resource. The server finds handlers by it: with an
 * old table it does not know a new endpoint.
 */
export function routesFile(): string {
  const lines = [...endpoints, ...controlEndpoints].map(({ method, path, name, capability }) => {
    const [resource, verb] = name.split('.')
    return `  ['${method}', '${path}', '${resource}', '${verb}'${capability ? `, '${capability}'` : ''}],`
  })
  return `// Generated from the contract by "npm run generate".\nexport const routes: readonly (readonly [method: string, path: string, resource: string, verb: string, capability?: string])[] = [\n${lines.join('\n')}\n]\n`
}
