import "katex/dist/katex.min.css";
import { render } from "preact";
import "./style/base.css";
import "./style/layout.css";
import "./style/message.css";
import "./style/prose.css";
import "./style/controls.css";
import { openHistory } from "./state/chats";
import { connect } from "./state/service";
import { App } from "./ui/app";

const root = document.getElementById("app");
if (root) {
  void connect();
  void openHistory();
  render(<App />, root);
}
