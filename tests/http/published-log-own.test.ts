import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { request } from 'undici'
import { eventually } from '../support/eventually.ts'
import { succeed } from '../support/outcome.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { withService } from '../support/with-service.ts'

const LOG = '/api/v1/log'
const EVENT_LOG_KEY = `2026:${'e'.repeat(64)}`

describe('a service with EVENT_LOG_KEY', () => {
  it('publishes what its own export contains, byte for byte', () =>
    withService({ EVENT_LOG_KEY }, async (running) => {
      const token = await scopedToken(running, 'events:read')
      const fetched = async (path: string) => {
        const { statusCode, body } = await request(`http://127.0.0.1:${running.port}${LOG}/${path}`, {
          headers: { authorization: `Bearer ${token}` },
        })
        const bytes = Buffer.from(await body.arrayBuffer())
        return statusCode === 200 ? bytes : undefined
      }
      const entries = await succeed(running.service.store.readEvents({ after: 0, limit: 100 }))
      const note = await eventually('the checkpoint covers the log', async () => {
        const bytes = await fetched('checkpoint')
        return bytes?.toString().split('\n')[1] === String(entries.length) ? bytes : undefined
      })
      const folder = mkdtempSync(join(tmpdir(), 'export-'))
      try {
        const { history } = running.service
        if (history === undefined) throw new Error('The store has no tree.')
        await succeed(history.exportLog(folder))
        expect(note).to.deep.equal(readFileSync(join(folder, 'checkpoint')))
        for (const path of [`tile/0/000.p/${entries.length}`, `tile/entries/000.p/${entries.length}`])
          expect(await fetched(path), path).to.deep.equal(readFileSync(join(folder, path)))
      } finally {
        rmSync(folder, { recursive: true })
      }
    }))
})
