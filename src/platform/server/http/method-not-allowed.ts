import { Failure } from '../../../contract/errors/failures.ts'

/** Returns a 405 that lists the methods of the path in `Allow` (RFC 9110). Every path with GET also has HEAD. */
export function methodNotAllowed(methods: readonly string[]): Failure {
  const order = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : [...methods]
  return new Failure('wrong_method', {
    headers: { allow: all.sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(', ') },
  })
}
