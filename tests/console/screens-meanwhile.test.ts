import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import { treeOf } from '../../application/ports/log-tree.ts'
import { withRaw } from '../sqlite/raw.ts'
import { aPruning, append, aRefusal } from '../support/modelled-log.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import {
  answersOf,
  headingOf,
  linkIn,
  rowsOf,
  type ScreensHere,
  startScreens,
  textOf,
} from './screens-here.ts'
import { type Story, tell } from './screens-story.ts'

describe('the console over a store that changes meanwhile', () => {
  let here: ScreensHere
  let story: Story
  beforeEach(async () => {
    here = await startScreens({ isWritable: true })
    story = await tell(here)
  })
  afterEach(() => here.stop())

  const refuseCarol = (times: number) =>
    append(
      here.service.store,
      ...Array.from({ length: times }, () => aRefusal('wrong_password', { user: story.carol })),
    )

  it('shows a user that was removed after the list, and changes nothing of it', async () => {
    const list = (await here.get('people')).html
    const before = (await here.get(linkIn(list, 'carol@example.com'))).html
    await succeed(here.service.removeUser(CONTEXT, story.carol))
    const page = await here.get(linkIn(list, 'carol@example.com'))
    expect([page.status, headingOf(page.html)]).to.deep.equal([200, 'A removed user'])
    expect(page.html).to.not.include('action=')
    const confirm = await here.get(linkIn(before, 'Disable'))
    const change = await here.post('change', { action: 'disable', id: story.carol })
    for (const { status, html } of [confirm, change])
      expect([status, headingOf(html)]).to.deep.equal([404, 'Nothing to change'])
  })

  it('refuses an older page after the log was renewed, and shows the newest one', async () => {
    await refuseCarol(150)
    const first = (await here.get('events')).html
    await succeed(here.service.renewLog(CONTEXT))
    const older = await here.get(linkIn(first, 'Older'))
    expect([older.status, headingOf(older.html)]).to.deep.equal([409, 'The log has changed'])
    const newest = (await here.get(linkIn(older.html, 'Newest events'))).html
    expect(rowsOf(newest, 'Events')[0]?.slice(1, 4)).to.deep.equal([
      'log renewed',
      'service portcullis',
      'operator',
    ])
  })

  it('leaves out what was pruned, in lists and numbers', async () => {
    const { store } = here.service
    const refused = async () => [
      rowsOf((await here.get('events?reason=user_disabled')).html, 'Events').length,
      rowsOf((await here.get('today')).html, 'Refusals by reason').map(([what]) => what),
    ]
    const [count, reasons] = await refused()
    expect([count, String(reasons)]).to.deep.equal([
      1,
      'SignInRefused: unknown_email,SignInRefused: wrong_password,SignInRefused: no_second_factor,SignInRefused: user_disabled',
    ])
    const log = await succeed(store.readEvents({ after: 0, limit: 1_000 }))
    const position =
      log.find(({ data }) => 'reason' in data && data.reason === 'user_disabled')?.position ?? 0
    await append(store, aPruning(position, 1))
    const tree = treeOf(store)
    if (tree !== undefined) await succeed(tree.pruneLog({ through: position, positions: [position] }))
    const [left, others] = await refused()
    expect([left, String(others)]).to.deep.equal([
      0,
      'SignInRefused: unknown_email,SignInRefused: wrong_password,SignInRefused: no_second_factor',
    ])
  })

  it('shows the same without the file of the read model, at once and after a restart', async () => {
    const shown = async () => {
      const { html } = await here.get('events')
      return [answersOf((await here.get('today')).html)[1], rowsOf(html, 'Events')]
    }
    const before = await shown()
    await rm(here.files.model)
    expect(await shown()).to.deep.equal(before)
    await here.openModel()
    expect(await shown()).to.deep.equal(before)
  })

  const LINKS = [
    'today',
    'people',
    'people?user=ada%40example.com',
    'person?id=ADA',
    'events',
    'events?follow=on',
    'applications',
    'confirm?action=disable&id=ADA',
  ]
  it('says on each screen that the store is unavailable, without a stack, and works again after it', async () => {
    const rename = (from: string, to: string) =>
      withRaw(here.files.store, (db) => {
        for (const table of ['users', 'log', 'applications', 'keys'])
          db.exec(`ALTER TABLE ${table}${from} RENAME TO ${table}${to}`)
      })
    const all = (check: (page: Awaited<ReturnType<ScreensHere['get']>>, link: string) => void) =>
      Promise.all(LINKS.map(async (link) => check(await here.get(link.replace('ADA', story.ada)), link)))
    rename('', '_gone')
    await all(({ status, headers, html }, link) => {
      expect([status, headingOf(html)], link).to.deep.equal([503, 'The store is unavailable'])
      expect(textOf(html), link).to.match(/Nothing was changed\. Reload this page\.$/)
      expect(html, link).to.not.match(/ at .*\.[jt]s|node_modules|SELECT/)
      expect(headers.refresh, link).to.equal(
        link.includes('follow') ? `15; url=${link}&refreshed=1` : undefined,
      )
    })
    const change = await here.post('change', { action: 'disable', id: story.ada })
    expect([change.status, headingOf(change.html)]).to.deep.equal([503, 'The store is unavailable'])
    rename('_gone', '')
    await all(({ status }, link) => expect(status, link).to.equal(200))
  })

  it('says that the read model is unavailable', async () => {
    withRaw(here.files.model, (db) => db.exec('DROP TABLE entries'))
    const { status, html } = await here.get('events')
    expect([status, headingOf(html)]).to.deep.equal([503, 'The read model is unavailable'])
  })
})
