import { resource } from '../mechanics/endpoint.ts'
import { controlEndpoint } from '../mechanics/endpoint-origins.ts'
import * as z from '../schema/schema.ts'

export const inspector = resource('inspector', {
  login: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/inspector/logins',
    summary: 'Create a one-time link to the inspector in the browser',
    status: 200,
    output: z.object({
      code: z.string().describe('Secret that signs in once'),
      path: z.string().describe('Path of the link below the base URL; add "&next=" with the path of a page'),
      expires_in: z.int().describe('Seconds until it expires'),
    }),
    errors: ['inspector.unavailable'],
    risk: 'write',
  },
})
