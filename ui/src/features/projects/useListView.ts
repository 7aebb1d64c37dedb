import { type Codec, oneOf, useView } from '@/platform/address'
import { FILTERS, type ListView, PLAIN_LIST, SORTS } from './order'

const LIST: Codec<ListView> = {
  keys: ['q', 'show', 'sort', 'desc', 'group'],
  plain: PLAIN_LIST,
  read: (search) => ({
    search: search['q'] === undefined ? '' : String(search['q']),
    filter: oneOf(search['show'], FILTERS) ?? PLAIN_LIST.filter,
    sort: oneOf(search['sort'], SORTS) ?? PLAIN_LIST.sort,
    descending: search['desc'] === true,
    grouped: search['group'] === true,
  }),
  write: (view) => ({
    ...(view.search && { q: view.search }),
    ...(view.filter !== PLAIN_LIST.filter && { show: view.filter }),
    ...(view.sort !== PLAIN_LIST.sort && { sort: view.sort }),
    ...(view.descending && { desc: true }),
    ...(view.grouped && { group: true }),
  }),
}

/** How the list of projects is looked at. */
export function useListView(): [ListView, (view: ListView) => void] {
  return useView(LIST, 'projects')
}
