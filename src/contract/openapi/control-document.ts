import { controlContract } from '../control/index.ts'
import { controlHeader } from '../endpoint/headers.ts'
import type { OpenApiExamples } from './examples.ts'
import { createDocument } from './openapi-document.ts'
import { controlTags } from './tags.ts'

/**
 * Returns the OpenAPI 3.1 document of the control API of a local platform. A server answers it, and
 * test/golden/control-openapi.json has a copy in which a reviewer sees changes.
 */
export const createControlDocument = (version: string, examples: OpenApiExamples): Record<string, unknown> =>
  createDocument({
    title: 'Control API of the local platform',
    description:
      'Clock, faults, simulated calls and messages, accounts and data of a local platform. It answers on the machine of the server, with the control token of the data folder.',
    version,
    tables: controlContract,
    tags: controlTags,
    securityScheme: {
      type: 'apiKey',
      in: 'header',
      name: controlHeader,
      description: 'The control token of the data folder',
    },
    examples,
  })
