import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { operator } from '../../support/operator.ts'

describe('the schema of an endpoint', () => {
  test('describes its body: fields, limits and required fields', async () => {
    const { run } = operator()
    const { stdout, stderr, exitCode } = await run('schema tools.create')
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'tools.create',
      description: 'Create a mid-call tool',
      required: ['name', 'description', 'endpoint', 'method'],
      properties: {
        description: { type: 'string', minLength: 1, maxLength: 255 },
        timeout: { type: 'integer', minimum: 1, maximum: 30, default: 10 },
        method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      },
    })
    expect(JSON.parse((await run('schema tools.update')).stdout)).not.toHaveProperty('required')
  })

  test('describes its query if it has no body, and its response on request', async () => {
    const { json } = operator()
    expect((await json('schema models.list')).properties).toEqual({
      type: {
        description: expect.any(String),
        default: 'llm',
        type: 'string',
        enum: ['llm', 'multimodal', 'dualplex'],
      },
    })
    expect(await json('schema models.list --output-schema')).toMatchObject({
      title: 'models.list',
      type: 'array',
      items: { required: ['id', 'name'] },
    })
  })

  test('exists for every endpoint', async () => {
    const { run } = operator()
    for (const endpoint of endpoints) {
      expect(JSON.parse((await run(`schema ${endpoint.name} --output-schema`)).stdout).title, endpoint.name).toBe(
        endpoint.name,
      )
      const takes = await run(`schema ${endpoint.name}`)
      if (endpoint.body ?? endpoint.query) expect(JSON.parse(takes.stdout).title).toBe(endpoint.name)
      else expect(takes).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--output-schema') })
    }
  })

  test('of an unknown endpoint is refused with a suggestion and without a request', async () => {
    const { run } = operator()
    expect(await run('schema tools.updat')).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('Did you mean tools.update?'),
    })
    expect(await run('schema')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('parley api --list') })
  })
})

test('an editor gets the schema of the document', async () => {
  const { run } = operator()
  let opened = ''
  const editor = (text: string): string => {
    opened = text
    return text.replace('timeout: 15', 'timeout: 20')
  }
  expect(await run('tools update 2 --edit', { env: { EDITOR: 'vi' }, editor, terminal: true })).toMatchObject({
    exitCode: 0,
  })
  expect(opened.split('\n')[0]).toBe('# yaml-language-server: $schema=tools.update.schema.json')
})

test('a first line that names a schema is accepted in a file', async () => {
  const { json, cwd } = operator()
  writeFileSync(join(cwd, 'folder.yaml'), '# yaml-language-server: $schema=folders.create.schema.json\nname: Evening\n')
  expect(await json('folders create --file folder.yaml')).toMatchObject({ name: 'Evening' })
})
