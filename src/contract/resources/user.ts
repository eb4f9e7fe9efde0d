import { resource } from '../endpoint/endpoint.ts'
import * as z from '../schema/schema.ts'

export const user = resource('user', {
  me: {
    method: 'GET',
    path: '/api/user/me',
    summary: 'Show the account and its balance',
    status: 200,
    output: z.object({ name: z.string(), email: z.string(), total_balance: z.number() }),
    errors: [],
    risk: 'read',
    section: '5',
    assumed: 'public deployments',
  },
})
