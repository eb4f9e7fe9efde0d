import { resource } from './endpoint.ts'
import { Grouping, groupingChange, groupingDraft, groupingPage, groupingPath, groupingQuery } from './groupings.ts'
import { said, saidOf } from './shared.ts'

const known = { section: '4.22', assumed: 'public deployments' } as const
const path = groupingPath('folder')

export const folders = resource('folders', {
  list: {
    ...known,
    method: 'GET',
    path: '/api/user/folders',
    summary: 'List folders of assistants',
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
    path: '/api/user/folder',
    summary: 'Create a folder',
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
    path: '/api/user/folder/{id}',
    summary: 'Update a folder; only what is given changes',
    params: path,
    body: groupingChange,
    status: 200,
    output: saidOf(Grouping),
    errors: ['folders.not_found'],
    risk: 'write',
    rejects: 'first',
    record: 'data',
  },
  delete: {
    ...known,
    method: 'DELETE',
    path: '/api/user/folder/{id}',
    summary: 'Delete a folder; its assistants stay, uncategorized',
    params: path,
    status: 200,
    output: said,
    errors: ['folders.not_found'],
    risk: 'destructive',
  },
})
