import { resource } from './endpoint.ts'
import { Grouping, groupingChange, groupingDraft, groupingPage, groupingPath, groupingQuery } from './groupings.ts'
import { said, saidOf } from './shared.ts'

const known = { section: '4.22', assumed: 'public deployments' } as const
const path = groupingPath('label')

export const labels = resource('labels', {
  list: {
    ...known,
    method: 'GET',
    path: '/api/user/labels',
    summary: 'List labels of assistants',
    query: groupingQuery,
    status: 200,
    output: groupingPage,
    errors: [],
    risk: 'read',
    items: 'data',
    paged: true,
  },
  create: {
    ...known,
    method: 'POST',
    path: '/api/user/label',
    summary: 'Create a label',
    body: groupingDraft,
    status: 201,
    output: saidOf(Grouping),
    errors: [],
    risk: 'write',
    rejects: 'first',
    record: 'data',
  },
  update: {
    ...known,
    method: 'PUT',
    path: '/api/user/label/{id}',
    summary: 'Update a label; only what is given changes',
    params: path,
    body: groupingChange,
    status: 200,
    output: saidOf(Grouping),
    errors: ['labels.not_found'],
    risk: 'write',
    rejects: 'first',
    record: 'data',
  },
  delete: {
    ...known,
    method: 'DELETE',
    path: '/api/user/label/{id}',
    summary: 'Delete a label; assistants lose it',
    params: path,
    status: 200,
    output: said,
    errors: ['labels.not_found'],
    risk: 'destructive',
  },
})
