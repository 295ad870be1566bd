# Completions for three shells, written by the program itself once it is built, and installed where the shells look for
# them. Not where the program cannot run here, nor under sanitizers, which would look for leaks three times.
if(CMAKE_CROSSCOMPILING OR VOLT_SANITIZE OR VOLT_SANITIZE_THREADS)
  return()
endif()

set(completion_dir ${CMAKE_CURRENT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${completion_dir})
set(completion_steps)
foreach(shell bash zsh fish)
  list(APPEND completion_steps COMMAND volterra_cli completion ${shell} > ${completion_dir}/${shell})
endforeach()
add_custom_command(TARGET volterra_cli POST_BUILD ${completion_steps} VERBATIM)

install(FILES ${completion_dir}/bash RENAME volterra DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completion_dir}/zsh RENAME _volterra DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completion_dir}/fish RENAME volterra.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
