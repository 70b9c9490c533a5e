import { Worker } from 'node:worker_threads'
import type { Finding } from '../../application/ports/inspection.ts'
import { moduleUrl } from '../config/files/program-files.ts'
import type { Settings } from '../config/settings.ts'
import type { Progress } from './composition.ts'

/**
 * Runs the checks of `doctor` in a thread, for a process that has other work. SQLite checks its file in one piece, which takes a second for
 * a gigabyte. The checks also fill memory, which only the end of a thread gives back. A thread does not keep the process alive.
 */
export const findingsInThread = (
  settings: Settings,
  onProgress: (progress: Progress) => void,
): Promise<ReadonlyArray<Finding>> =>
  new Promise((resolve) => {
    const thread = new Worker(THREAD, { workerData: settings })
    const failed = (why: string): void =>
      resolve([
        { name: 'checks', ok: false, detail: `The checks ended early: ${why}. Run portcullis doctor.` },
      ])
    thread.on('message', ({ findings, progress }: Report) => {
      if (progress !== undefined) onProgress(progress)
      if (findings !== undefined) resolve(findings)
    })
    thread.on('error', ({ message }: Error) => failed(message))
    thread.on('exit', (code) => failed(`status ${code}`)) // no matter after the findings
    thread.unref() // a listener for messages refers to it
  })

type Report = Readonly<{ findings?: ReadonlyArray<Finding>; progress?: Progress }>

const THREAD = moduleUrl('bundle/checks-thread')
