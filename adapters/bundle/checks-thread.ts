import { parentPort, workerData } from 'node:worker_threads'
import { loadChecks, loadComposition } from './bundled-program.ts'

/** The thread of cli/checks-in-thread.ts. It receives the settings, runs the checks of `doctor` once, and answers with the findings. */
const [check, composition] = await Promise.all([loadChecks(), loadComposition()])
const settings = workerData as Parameters<typeof check>[1]
const findings = await check(composition, settings, (progress) => parentPort?.postMessage({ progress }))
parentPort?.postMessage({ findings })
