import { render } from 'preact';
import { App } from './app.js';

const root = document.getElementById('app');
if (root === null) throw new Error('the document has no element `app`');
render(<App />, root);
