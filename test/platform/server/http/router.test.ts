import { describe, expect, test } from 'vitest'
import { routes } from '../../../../src/generated/routes.ts'
import { createRouter, type Route } from '../../../../src/platform/server/http/router.ts'

const some: readonly Route[] = [
  ['GET', '/things', 'things', 'list'],
  ['GET', '/things/{id}', 'things', 'get'],
  ['GET', '/things/search', 'things', 'search'],
  ['PUT', '/things/{id}', 'things', 'update'],
  ['GET', '/things/{id}/parts/{part_id}', 'parts', 'get'],
  ['POST', '/things/search/again', 'things', 'again'],
]

describe('a path', () => {
  const find = createRouter(some)

  test('leads to its endpoint, with the values of its parameters', () => {
    expect(find('GET', '/things')).toEqual({ resource: 'things', verb: 'list', params: {} })
    expect(find('GET', '/things/7/parts/a-b')).toEqual({
      resource: 'parts',
      verb: 'get',
      params: { id: '7', part_id: 'a-b' },
    })
  })

  test('prefers a fixed word to a parameter, but only if the method has the word', () => {
    expect(find('GET', '/things/search')).toMatchObject({ verb: 'search', params: {} })
    expect(find('PUT', '/things/search')).toMatchObject({ verb: 'update', params: { id: 'search' } })
    expect(find('GET', '/things/search/parts/1')).toMatchObject({
      resource: 'parts',
      params: { id: 'search', part_id: '1' },
    })
  })

  test('can end with a slash', () => {
    expect(find('GET', '/things/')).toMatchObject({ verb: 'list' })
    expect(find('GET', '/things/7/')).toMatchObject({ verb: 'get', params: { id: '7' } })
    expect(find('GET', '/things//')).toEqual({ methods: [] })
  })

  test('has its parameters decoded, and is not found if the encoding is invalid', () => {
    expect(find('GET', '/things/a%2Fb%20c')).toMatchObject({ params: { id: 'a/b c' } })
    for (const id of ['%', '%zz', '%E0%A4%A', ''])
      expect(find('GET', `/things/${id}/parts/1`), id).toEqual({ methods: [] })
  })

  test('has parameters of at most 500 characters', () => {
    expect(find('GET', `/things/${'x'.repeat(500)}`)).toMatchObject({ verb: 'get' })
    expect(find('GET', `/things/${'x'.repeat(501)}`)).toEqual({ methods: [] })
  })

  test('with another method is distinguished from one that does not exist', () => {
    expect(find('DELETE', '/things/7')).toEqual({ methods: ['GET', 'PUT'] })
    expect(find('BREW', '/things')).toEqual({ methods: ['GET'] })
    for (const path of ['/', '', '/thing', '/things/7/parts', '/Things'])
      expect(find('GET', path), path).toEqual({ methods: [] })
  })

  test('cannot match inherited properties of objects', () => {
    for (const path of ['/__proto__', '/constructor', '/things/7/__proto__/1'])
      expect(find('GET', path), path).toEqual({ methods: [] })
    expect(find('GET', '/things/__proto__')).toMatchObject({ params: { id: '__proto__' } })
  })
})

test('every route of the contract has a unique path', () => {
  const find = createRouter(routes)
  for (const [method, path, resource, verb] of routes)
    expect(find(method, path.replace(/\{(\w+)\}/g, '7')), `${method} ${path}`).toMatchObject({ resource, verb })
})
