import LatchkeyCommandLineTool

ToolProgram.main()
