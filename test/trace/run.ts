import process from 'node:process';
import { main } from './main.js';

process.exitCode = main(process.cwd(), process.argv.slice(2));
