import * as z from 'zod'
import { resource } from '../mechanics/endpoint.ts'
import { id, isoMicros, messageResponse } from '../mechanics/field-schemas.ts'

/** What may become of the connection, or of the bytes of an answer. */
export const socketFaults = {
  cut: 'the connection is cut and nothing was done',
  drop: 'the request is carried out, then the connection is cut before the answer',
  truncate: 'the request is carried out, and the answer breaks off in the middle',
  html: 'the request is carried out, and a page of HTML comes back; with a status, nothing is done',
  garbage: 'the request is carried out, and what comes back is no JSON; with a status, nothing is done',
} as const
export type SocketFault = keyof typeof socketFaults

/** Ways an answer can differ from the contract. A path leads to a value, with `*` for every item of a list; `.` is the whole answer. */
export const driftOperations = {
  'remove <path>': 'the field is not there',
  'rename <path> <name>': 'the field has another name',
  'add <path> <name>': 'an object has a field more',
  'null <path>': 'null stands there',
  'text <path>': 'the value is text: "12" for 12',
  'number <path>': 'the value is a number: 0 for what is none',
  'flag <path>': 'true and false are 1 and 0',
  'list <path>': 'the value stands in a list of its own',
  'wrap <path> <name>': 'the value stands in an object of its own, under the name',
  'unwrap <path>': 'the first thing in the object or the list stands in its place',
  'status <code>': 'the status is another',
} as const

const drift =
  /^((remove|null|text|number|flag|list|unwrap) \S{1,200}|(rename|add|wrap) \S{1,200} [\w-]{1,64}|status [2-5]\d\d)$/

/** A name of an endpoint, all of a resource, or all there are. */
const pattern = /^(\*|[a-zA-Z]{1,40}\.(\*|[a-zA-Z]{1,60}))$/

const rule = z.object({
  endpoint: z.string().regex(pattern).describe('Endpoint whose requests meet it: numbers.buy, numbers.*, or *'),
  account: id.optional().describe('Only requests signed in by the account with this id'),
  where: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Only requests with these values, by path in what was asked'),
  error: z.string().max(100).optional().describe('Refuse as the platform does: an error of "parley help errors"'),
  text: z.string().max(500).optional().describe('Words of the error, instead of its own'),
  code: z
    .string()
    .regex(/^\w{1,40}$/)
    .optional()
    .describe("The provider's own code in the error, such as 63018"),
  status: z.int().min(400).max(599).optional().describe('Answer this status, and do nothing'),
  socket: z
    .enum(Object.keys(socketFaults) as [SocketFault, ...SocketFault[]])
    .optional()
    .describe('What becomes of the connection or of the answer'),
  drift: z
    .array(z.string().regex(drift))
    .max(20)
    .default([])
    .describe('Change the answer: "remove data.*.price", "text data.id", "wrap . result"'),
  latency_ms: z.int().min(0).max(600_000).default(0).describe('Milliseconds to wait before anything else'),
  times: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe('How often it strikes before it is spent; always unless given'),
  probability: z.number().min(0).max(1).default(1).describe('How probable it is that it strikes'),
  seed: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .default(1)
    .describe('Which requests a probability strikes: the same ones for the same seed'),
})
export type FaultRule = z.output<typeof rule>

const { shape } = rule
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
  met: z.int().describe('Requests it was about'),
  fired: z.int().describe('Requests it struck'),
  created_at: isoMicros,
})
export type Fault = z.output<typeof Fault>

const controlEndpoint = { auth: 'control', section: 'local', assumed: 'only on a platform of your own' } as const

export const faults = resource('faults', {
  list: {
    ...controlEndpoint,
    method: 'GET',
    path: '/control/faults',
    summary: 'List the faults that are set, and how often each struck',
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
    summary: 'Make requests fail on purpose: an error, a status, a delay, a cut connection, an answer of another shape',
    body: rule,
    status: 201,
    output: z.object({ message: z.string(), data: Fault }),
    errors: ['accounts.not_found'],
    risk: 'write',
    record: 'data',
  },
  remove: {
    ...controlEndpoint,
    method: 'DELETE',
    path: '/control/faults/{id}',
    summary: 'Take a fault away',
    params: z.object({ id: id.describe('Id of the fault') }),
    status: 200,
    output: messageResponse,
    errors: ['faults.not_found'],
    risk: 'write',
  },
  clear: {
    ...controlEndpoint,
    method: 'DELETE',
    path: '/control/faults',
    summary: 'Take every fault away',
    status: 200,
    output: messageResponse,
    errors: [],
    risk: 'write',
  },
})
