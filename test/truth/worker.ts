import { parentPort, workerData } from 'node:worker_threads';
import { loadParams, NOMINAL } from './params.js';
import { type Job, runJob } from './tally.js';

/** One thread: takes jobs, gives tallies back. Its data is the parameter file's path, or null. */
const file: unknown = workerData;
const params = typeof file === 'string' ? loadParams(file) : NOMINAL;
const port = parentPort;
if (port === null) throw new Error('worker.js is started by `npm run truth`');
port.on('message', (job: Job) => {
  void runJob(job, params).then((tally) => {
    port.postMessage(tally);
  });
});
