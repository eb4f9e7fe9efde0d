import { resource } from '../endpoint/endpoint.ts'
import { controlEndpoint } from '../endpoint/endpoint-origins.ts'
import { id, isoMicros, messageResponse } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/**
 * Faults of the connection or of the bytes of a response, each with its description. Rows of fault rules have them, and
 * the page of the inspector has a copy (page/faults/describe-fault.ts).
 */
export const socketFaults = {
  cut: 'the connection is closed before the request is processed',
  drop: 'the request is processed, then the connection is closed without a response',
  truncate: 'the request is processed, and the response is cut off in the middle',
  html: 'the request is processed, and an HTML page is returned; with a status, it is not processed',
  garbage: 'the request is processed, and invalid JSON is returned; with a status, it is not processed',
} as const
type SocketFault = keyof typeof socketFaults

/**
 * Ways a response can differ from the contract. A path leads to a value, with `*` for every item of a list; `.` is the
 * whole response. Rows of fault rules have such lines, which `applyDrift` of the server carries out.
 */
export const driftOperations = {
  'remove <path>': 'remove the field',
  'rename <path> <name>': 'rename the field',
  'add <path> <name>': 'add a field to an object',
  'null <path>': 'set the value to null',
  'text <path>': 'convert the value to text: "12" for 12',
  'number <path>': 'convert the value to a number; 0 if it is not numeric',
  'flag <path>': 'convert true and false to 1 and 0',
  'list <path>': 'wrap the value in a list',
  'wrap <path> <name>': 'wrap the value in an object, under the name',
  'unwrap <path>': 'replace the object or list with its first value',
  'status <code>': 'change the HTTP status',
} as const

const drift =
  /^((remove|null|text|number|flag|list|unwrap) \S{1,200}|(rename|add|wrap) \S{1,200} [\w-]{1,64}|status [2-5]\d\d)$/

/** Pattern of an endpoint name (`numbers.buy`), all endpoints of a resource (`numbers.*`), or all endpoints (`*`). */
const pattern = /^(\*|[a-zA-Z]{1,40}\.(\*|[a-zA-Z]{1,60}))$/

const rule = z.object({
  endpoint: z
    .string()
    .regex(pattern, 'The endpoint field must be the name of an endpoint such as numbers.buy, numbers.* or *.')
    .describe('Endpoint to match: numbers.buy, numbers.* or *'),
  account: id.optional().describe('Id of the account whose requests it matches (default: all accounts)'),
  where: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Match only requests with these values, by path in the request'),
  error: z.string().max(100).optional().describe('Platform error to return, from "parley help errors"'),
  text: z.string().max(500).optional().describe('Message of the error, instead of the default'),
  code: z
    .string()
    .regex(/^\w{1,40}$/)
    .optional()
    .describe('Provider code in the error, such as 63018'),
  status: z.int().min(400).max(599).optional().describe('HTTP status to return without processing the request'),
  socket: z
    .enum(Object.keys(socketFaults) as [SocketFault, ...SocketFault[]])
    .optional()
    .describe('Effect on the connection or response'),
  drift: z
    .array(
      z
        .string()
        .regex(
          drift,
          `The drift field must be one of: ${Object.keys(driftOperations).join(', ')}. A path such as data.*.price leads to a value.`,
        ),
    )
    .max(20)
    .default([])
    .describe('Change the response: "remove data.*.price", "text data.id", "wrap . result"'),
  latency_ms: z.int().min(0).max(600_000).default(0).describe('Delay in milliseconds before the request is processed'),
  times: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe('Number of times it triggers before it is exhausted (default: unlimited)'),
  probability: z.number().min(0).max(1).default(1).describe('Probability that it triggers'),
  seed: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .default(1)
    .describe('Seed of the probability, to select the same requests every time'),
})
export type FaultRule = z.output<typeof rule>

const { shape } = rule
/** Fault rule with its id and how often it has been applied. */
export const Fault = z.object({
  id: z.int(),
  ...shape,
  account: z.int().nullable(),
  error: z.string().nullable(),
  text: z.string().nullable(),
  code: z.string().nullable(),
  status: z.int().nullable(),
  socket: z.enum(Object.keys(socketFaults) as [SocketFault, ...SocketFault[]]).nullable(),
  times: z.int().nullable(),
  met: z.int().describe('Number of matching requests'),
  fired: z.int().describe('Number of times it was triggered'),
  created_at: isoMicros,
})
export type Fault = z.output<typeof Fault>

export const faults = resource('faults', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/faults',
    summary: 'List fault rules and how often each was triggered',
    status: 200,
    output: z.object({ data: z.array(Fault) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  add: {
    ...controlEndpoint,
    method: 'POST',
    path: '/control/faults',
    summary: 'Create a fault rule that makes requests fail',
    body: rule,
    status: 201,
    output: z.object({ message: z.string(), data: Fault }),
    errors: ['accounts.not_found'],
    risk: 'write',
    byPerson: true,
    record: 'data',
  },
  remove: {
    ...controlEndpoint,
    method: 'DELETE',
    path: '/control/faults/{id}',
    summary: 'Delete a fault rule',
    params: z.object({ id: id.describe('Id of the fault rule') }),
    status: 200,
    output: messageResponse,
    errors: ['faults.not_found'],
    risk: 'write',
    byPerson: true,
  },
  clear: {
    ...controlEndpoint,
    method: 'DELETE',
    path: '/control/faults',
    summary: 'Delete all fault rules',
    status: 200,
    output: messageResponse,
    errors: [],
    risk: 'write',
    byPerson: true,
  },
})
